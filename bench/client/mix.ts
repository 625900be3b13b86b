import type { WireRequest } from "./lane.ts";
import { get, post } from "./wire.ts";

/** What clients of the books service ask, in shares of 40; a few of them leave before they are answered. */
const kinds: readonly (readonly [share: number, request: WireRequest])[] = [
  [14, { bytes: get("/books") }],
  [9, { bytes: get("/books/42") }],
  [6, { bytes: post("/books", JSON.stringify({ title: "Dune", author: "Frank Herbert" })) }],
  [3, { bytes: get("/nowhere") }],
  [1, { bytes: get("/books/no-number") }],
  [1, { bytes: post("/books", '{"title":') }],
  [1, { bytes: post("/books", '{"title":5}') }],
  [2, { bytes: get("/pages/3") }],
  [1, { bytes: get("/pages/100000"), leaves: "first byte" }],
  [1, { bytes: get("/slow/1000"), leaves: "sent" }],
  [1, { bytes: post("/books", '{"title":"Dune"}').slice(0, -9), leaves: "sent" }],
];

/** Statuses that the mix asks for; any other is a mistake of the server. */
export const mixStatuses: ReadonlySet<number> = new Set([200, 201, 400, 404, 422]);

const mixed: readonly WireRequest[] = kinds.flatMap(([share, request]) =>
  Array.from({ length: share }, () => request),
);

/** Gives the requests of the mix in turn, each kind as often as its share says, neighbours of different kinds. */
export const mix = (): (() => WireRequest) => {
  let turn = 0;
  return () => mixed[(turn++ * 7) % mixed.length] as WireRequest; // 7 and 40 have no common divisor
};
