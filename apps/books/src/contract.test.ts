import { contractTest } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

/** `BOOKS_CALLS=20000` for a long run. */
const runs = Number(process.env["BOOKS_CALLS"] ?? 400) / 5;

test.each([
  ["open", {}],
  ["protected", { BOOKS_SECRET: "0123456789abcdef0123456789abcdef", BOOKS_PASSWORD: "p" }],
])(
  "every reply of the %s service is documented, and none is a 5xx",
  async (_name, env) => {
    const app = createBooksApp(
      booksSettings({
        DATABASE_URL: "sqlite://:memory:",
        BOOKS_LOG: "silent",
        BOOKS_RATE: "100000000",
        ...env,
      }),
    );
    await using _stopped = { [Symbol.asyncDispose]: () => app.stop() };
    const { requests } = await contractTest(app, { runs, seed: 7 });
    expect(requests).toBeGreaterThanOrEqual(runs * 5);
  },
  600_000,
);
