"""What `wordline explain` knows: the field's terms, what answers a question, the keys, and what is not modelled."""
