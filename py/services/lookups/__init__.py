"""Ask vendors about models, one request at a time; the door is ``model_metadata_provider``."""
