"""Answer HTTP and WebSocket, guard every route, and turn each error into one status and JSON body."""
