import type { Call } from "../client/call.ts";
import { CLIENT_FIELD } from "../servers/limited/client.ts";
import type { Order } from "../servers/workload.ts";

/** Length of a list: long enough that every server cache has evicted a request before it is repeated. */
const COUNT = 2000;

/** Generates integers from 0 to below `limit`, the same in every run, so that counts are reproducible. */
const createRandom = (seed: number): ((limit: number) => number) => {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0; // linear congruential generator, only its high bits are sufficiently random
    return Math.floor((state / 2 ** 32) * limit);
  };
};

const systems: readonly string[] = [
  "Windows NT 10.0; Win64; x64",
  "Macintosh; Intel Mac OS X 10_15_7",
  "X11; Linux x86_64",
  "X11; Ubuntu; Linux x86_64",
  "Linux; Android 15; Pixel 9",
  "Linux; Android 14; SM-S928B",
  "Linux; Android 13; M2101K6G",
  "iPhone; CPU iPhone OS 18_5 like Mac OS X",
  "iPad; CPU OS 17_6 like Mac OS X",
  "X11; CrOS x86_64 16033",
];

/** `User-Agent` of forty browsers. */
const browsers: readonly string[] = systems.flatMap((system) =>
  [137, 138, 139, 140].map((version) => `Mozilla/5.0 (${system}) AppleWebKit/537.36 Chrome/${version}.0.0.0`),
);

const hex = (random: (limit: number) => number, digits: number): string => {
  let text = "";
  for (let at = 0; at < digits; at++) text += random(16).toString(16);
  return text;
};

/**
 * GET of a user, about 330 bytes with six fields: path, browser, page, session cookie and trace vary; `Host` and `Accept` do not.
 */
export const variedCalls: readonly Call[] = ((random) =>
  Array.from({ length: COUNT }, () => ({
    path: `/users/${1000 + random(9000)}`,
    keepAlive: false,
    fields: {
      "User-Agent": browsers[random(browsers.length)] as string,
      Referer: `https://shop.example/books?page=${random(500)}`,
      Cookie: `session=${hex(random, 32)}; theme=${random(2) === 0 ? "dark" : "light"}`,
      traceparent: `00-${hex(random, 32)}-${hex(random, 16)}-01`,
    },
  })))(createRandom(1));

/** POST of an order of 200 bytes, with a different customer, items and amounts in each. */
export const variedOrders: readonly Call[] = ((random) =>
  Array.from({ length: COUNT }, () => {
    const sku = (): string => `${hex(random, 2).toUpperCase()}-${1000 + random(9000)}`;
    const order: Order = {
      customer: `${hex(random, 8)}-${hex(random, 4)}-${hex(random, 4)}`,
      items: [
        { sku: sku(), amount: 1 + random(9) },
        { sku: sku(), amount: 1 + random(9) },
        { sku: sku(), amount: 10 + random(90) },
      ],
      note: `please ring twice the bell is slow; thank you, ${hex(random, 12)}`,
    };
    return { path: "/echo", body: JSON.stringify(order) };
  }))(createRandom(2));

/** GET of one of 900 books, with three-digit keys, so that all replies have the same length. */
export const variedBooks: readonly Call[] = ((random) =>
  Array.from({ length: COUNT }, () => ({ path: `/books/${100 + random(900)}` })))(createRandom(3));

/** GET requests, each of a different client. */
export const variedClients: readonly Call[] = Array.from({ length: COUNT }, (_, at) => ({
  path: "/json",
  fields: { [CLIENT_FIELD]: `client-${1000 + at}` },
}));
