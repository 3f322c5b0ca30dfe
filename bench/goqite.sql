-- The table and the index that goqite's statements need.

create table goqite (
	id       text primary key default (lower(hex(randomblob(16)))),
	created  text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
	queue    text not null,
	body     blob not null,
	timeout  text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
	received integer not null default 0,
	priority integer not null default 0
) strict;

create index goqite_order on goqite (queue, priority desc, created);
