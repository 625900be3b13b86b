import type { BooksApp } from "../books-app.ts";
import type { Announce } from "../books/routes.ts";

const ROOM = "books";

/** A WebSocket feed of every change: each message is `{ event, book }` or `{ event, id }`. */
export const feedRoute = (app: BooksApp): void => {
  app.websocket("/feed", async (socket) => {
    socket.join(ROOM);
    while ((await socket.recv()) !== null); // messages of clients are ignored
  });
};

/**
 * Invalidates cached replies about books, so that requests after the reply see the change, and notifies the feed.
 *
 * The change is already stored when this is called, so a failed notification of other hosts is not reported to the client. Their lists may then be up to
 * ten seconds old.
 */
export const announceTo =
  (app: BooksApp): Announce =>
  async (event) => {
    await app.invalidateCache(["books"]).catch((error: unknown) => {
      app.log().warn("cached lists of other hosts may be outdated for ten seconds", { error });
    });
    void app
      .room(ROOM)
      .sendJson(event)
      .catch(() => {}); // the change is stored anyway
  };
