package api

// Held returns how much s holds: places, queues, and names of queues that were
// deleted.
func (s *Service) Held() (places, queues, names int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ns := range s.namespaces {
		queues += len(ns.queues)
		names += len(ns.orphans)
	}
	return len(s.namespaces), queues, names + len(s.deleted.order)
}
