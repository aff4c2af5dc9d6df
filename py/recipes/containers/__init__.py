"""Find the text that a file carries: bytes in, carriers out; one module per container format."""
