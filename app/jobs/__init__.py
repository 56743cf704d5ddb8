"""Deliveries as durable jobs: the queue, what each kind of delivery asks for, and what runs by the clock."""
