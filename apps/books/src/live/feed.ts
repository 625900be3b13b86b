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

/** Drops cached replies about books, so that whoever asks after the answer sees the change, and tells the followers. */
export const announceTo =
  (app: BooksApp): Announce =>
  async (event) => {
    await app.invalidateCache(["books"]);
    void app
      .room(ROOM)
      .sendJson(event)
      .catch(() => {}); // the change stands, whether followers hear of it or not
  };
