"""Run one metadata sync: plan, ask in bulk, save. MetadataSyncService is the door to this room."""
