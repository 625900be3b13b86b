import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const websocketErrors: ErrorCatalogue = {
  WEBSOCKET_NO_JSON: {
    summary:
      "`sendJson` got a value that JSON cannot express, or under debug a value that JSON loses, such as a `Set` or a promise",
    action: "replace the value at the path that the message names",
  },
  WEBSOCKET_BAD_MESSAGE: {
    summary:
      "the message to send is neither a string nor bytes, or the reason of a close is not a string, such as an object from a client where a string was expected",
    action: "validate messages of clients with the route's `message` schema",
  },
  WEBSOCKET_CLOSED: {
    summary: "a message was sent to a closed connection, or the connection ended before it was written",
    action: "stop sending when the connection closes",
  },
  WEBSOCKET_CLOSE: {
    summary: "`WebSocketClose`: a handler closes its connection with a code",
    action: "nothing",
  },
  WEBSOCKET_BAD_CLOSE_CODE: {
    summary: "a close code is not allowed in a close frame",
    action: "use a code from 4000 to 4999",
  },
  WEBSOCKET_BAD_ROOM: {
    summary: "a room's name is empty, too long or not a string",
    action: "use a string of 1 to 200 characters",
  },
  WEBSOCKET_TOO_MANY_ROOMS: {
    summary: "a connection joined more than 100 rooms",
    action: "leave rooms",
  },
  WEBSOCKET_NO_ROUTE: {
    summary: "a message was sent to a room of an app that has no WebSocket route",
    action: "add a route with `app.websocket` before the start",
  },
  WEBSOCKET_NOT_STARTED: {
    summary: "a message was sent to a room before the app started",
    action: "start the app first",
  },
  WEBSOCKET_BROADCAST_INCOMPLETE: {
    status: 503,
    summary: "a worker lost its connection to the others, or died, before it confirmed a message to a room",
    action: "send it again if members may receive it twice",
  },
  WEBSOCKET_BROADCAST_TOO_LARGE: {
    summary: "a broadcast is larger than the shared state can carry",
    action: "send less, or a reference to the data",
  },
};
