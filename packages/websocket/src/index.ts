export { websocket, type WebSocketMethods, type WebSocketRoutes } from "./websocket.ts";
export type { RegisterWebSocket } from "./register-websocket.ts";
export type { WebSocketHandler, WebSocketOptions } from "./websocket-handler.ts";
export { WebSocketConfig, WebSocketLimits } from "./websocket-config.ts";
export { WebSocketClose } from "./websocket-close.ts";
export type { Message } from "./message.ts";
export type { Room, RoomSendOptions } from "./rooms.ts";
export type { CloseInfo, ServerSocket } from "./server-socket.ts";
export { websocketErrors } from "./error-codes.ts";
