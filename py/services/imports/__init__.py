"""Run one import job: list, read, resolve, save. BatchImportService is the door to this room."""
