import type { LaneRequest } from "./lane.ts";

/** Requests to the books service, with their shares of 40; a few clients disconnect before the reply or at its start. */
const kinds: readonly (readonly [share: number, request: LaneRequest])[] = [
  [14, { path: "/books" }],
  [9, { path: "/books/42" }],
  [6, { path: "/books", body: JSON.stringify({ title: "Dune", author: "Frank Herbert" }) }],
  [3, { path: "/nowhere" }],
  [1, { path: "/books/no-number" }],
  [1, { path: "/books", body: '{"title":' }],
  [1, { path: "/books", body: '{"title":5}' }],
  [2, { path: "/pages/3" }],
  [1, { path: "/pages/100000", disconnects: "first byte" }],
  [1, { path: "/slow/1000", disconnects: "sent" }],
  [1, { path: "/books", body: '{"title', fields: { "Content-Length": "16" }, disconnects: "sent" }],
];

/** Expected statuses of the mix; any other status fails the benchmark. */
export const mixStatuses: ReadonlySet<number> = new Set([200, 201, 400, 404, 422]);

const mixed: readonly LaneRequest[] = kinds.flatMap(([share, request]) =>
  Array.from({ length: share }, () => request),
);

/** Returns a function that cycles through the requests of the mix: each kind with its share, and the kinds interleaved. */
export const mix = (): (() => LaneRequest) => {
  let turn = 0;
  return () => mixed[(turn++ * 7) % mixed.length] as LaneRequest; // 7 and 40 are coprime, so all 40 are used
};
