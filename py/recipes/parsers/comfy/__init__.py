"""Read ComfyUI graphs by tracing from this image's output node; nothing is found by a node's number or title.

`graph` holds nodes and links of the executed form; `editor`, `flatten` and `widgets` turn the editor's form into it.
`outputs` chooses where to start, `sampling` finds the samplers and their settings, `texts`, `switches` and
`conditioning` follow values and prompts, `models`, `loras` and `embeddings` find what was used, and `draft` puts it
together.
"""
