import type { Socket } from "../../exchange/socket.ts";

/**
 * Gives a socket's bytes to `take` as they are read, without the turn through the socket's own buffer and its ticks, which costs about a
 * twentieth of a small request. Gives the function that ends it; bytes go the usual way from then on.
 *
 * A socket hands what it read to its own `push`, like every readable stream. While it flows and holds nothing back, what `push` would do is
 * to emit "data"; in all other cases, and for the end, it is left to do its work. Were bytes ever to arrive without it, "data" tells of them:
 * `take` has to listen there too.
 */
export const readDirectly = (socket: Socket, take: (chunk: Buffer) => void): (() => void) => {
  const { push } = socket;
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (chunk === null || socket.readableFlowing !== true || socket.readableLength > 0) {
      return push.call(socket, chunk, encoding);
    }
    take(chunk);
    return true;
  };
  return () => {
    socket.push = push; // not deleted: a socket that lost a property is slow with every other one
  };
};
