import { App } from "@framework/core";
import { websocket } from "./index.ts";

const app = new (App.with(websocket))();
app.websocket("/rooms/{room}", async (socket, { params }) => {
  socket.join(params.room);
  await socket.sendText(`joined at ${process.pid}`);
  for await (const message of socket) await app.room(params.room).sendText(message.text, { except: socket });
});
await app.run();
