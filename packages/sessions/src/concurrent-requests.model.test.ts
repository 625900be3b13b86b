import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { sessionOf, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, withCookie } from "./shop.test-kit.ts";

const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 40);

/** Concurrent requests of one session. */
const requests = fc.array(fc.constantFrom("set", "set", "promote", "logout"), {
  minLength: 2,
  maxLength: 6,
});

test("for any order of store calls, concurrent requests leave one session with their changes, or none", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), requests, async (scheduler, ops) => {
      const clock = virtualClock({ start: 1_800_000_000_000 });
      const { values } = inProcessState({ clock });
      let isConcurrent = false;
      const scheduled = async <T>(call: () => T): Promise<Awaited<T>> => {
        if (isConcurrent) await scheduler.schedule(Promise.resolve());
        return await call();
      };
      const store = sharedSessionStore({
        ...values,
        get: (...args) => scheduled(() => values.get(...args)),
        set: (...args) => scheduled(() => values.set(...args)),
        delete: (...args) => scheduled(() => values.delete(...args)),
        raise: (...args) => scheduled(() => values.raise(...args)),
      });
      const { app, browser } = openShop({ store }, clock);
      app.post("/set/{name}", (request) => {
        sessionOf(request).set(request.params.name, true);
        return "set";
      });
      app.get(
        "/names",
        (request) => ops.filter((_, at) => sessionOf(request).get(`n${at}`) !== undefined).length,
      );
      await using client = browser({ cookies: false });
      const first = cookieOf(await client.post("/login/ann"));
      isConcurrent = true;
      const sent = ops.map((op, at) =>
        client.post(op === "set" ? `/set/n${at}` : `/${op}`, withCookie(first)),
      );
      const replies = await scheduler.waitFor(Promise.all(sent));
      isConcurrent = false;

      const statuses = replies.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      const isDone = (op: string): boolean => ops.some((each, at) => each === op && statuses[at] === 200);
      const cookies = [first, ...replies.map(cookieOf)].filter((cookie) => cookie !== "");
      const contents: unknown[] = [];
      for (const cookie of cookies) {
        const { user } = (await client.get("/me", withCookie(cookie))).json<{ user: string | null }>();
        if (user !== null) contents.push((await client.get("/names", withCookie(cookie))).json());
      }
      const changes = ops.filter((op, at) => op === "set" && statuses[at] === 200).length;
      expect(contents).toEqual(isDone("logout") && !isDone("promote") ? [] : [changes]);
    }),
    { numRuns },
  );
}, 300_000);
