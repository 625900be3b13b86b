import type { BooksApp } from "../books-app.ts";
import type { Announce } from "../books/routes.ts";

const ROOM = "books";

/** Lets followers hear of every change: each message is `{ event, book }` or `{ event, id }`. */
export const feedRoute = (app: BooksApp): void => {
  app.websocket("/feed", async (socket) => {
    socket.join(ROOM);
    while ((await socket.recv()) !== null); // followers have nothing to say
  });
};

/** Invalidates cached replies about books, so that requests after the reply see the change, and notifies the followers. */
export const announceTo =
  (app: BooksApp): Announce =>
  async (event) => {
    await app.invalidateCache(["books"]);
    void app
      .room(ROOM)
      .sendJson(event)
      .catch(() => {}); // the change is made, whether followers are notified or not
  };
