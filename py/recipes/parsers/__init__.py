"""Read what a carrier says: one carrier in, one draft out; one module per dialect."""
