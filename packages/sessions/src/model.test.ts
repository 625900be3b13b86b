import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { sharedSessionStore } from "./index.ts";
import { openShop, secret, type Shop } from "./shop.test-kit.ts";

const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 40);

const users = ["ann", "bob"] as const;

/** A request to one of two hosts, of one of three browsers or of an attacker with a stolen cookie. */
const step = fc.record({
  op: fc.constantFrom("cart", "cart", "login", "login", "promote", "logout", "destroyAll", "wait"),
  browser: fc.nat({ max: 2 }),
  stolen: fc.option(fc.nat(), { freq: 4 }),
  host: fc.nat({ max: 1 }),
  user: fc.constantFrom(...users),
  item: fc.constantFrom("tea", "milk", "bread"),
  waitMs: fc.nat({ max: 5000 }),
});

interface ModelSession {
  state: "alive" | "ended" | "destroyed";
  user: string | null;
  cart: string | null;
}

/** A cookie that a host set. All cookies of a stored session show the same cart; each signed cookie contains its own. */
interface IssuedCookie {
  readonly value: string;
  readonly session: ModelSession;
  readonly cart: string | null;
}

const send = async (shop: Shop, method: string, path: string, value: string | undefined) => {
  const headers = value === undefined ? {} : { cookie: `session_id=${value}` };
  const reply = await shop.app.fetch(new Request(`http://shop.test${path}`, { method, headers }));
  const set = /session_id=([^;]*)/.exec(reply.headers.get("set-cookie") ?? "")?.[1];
  return { status: reply.status, set, text: await reply.text() };
};

/** Effect of a reply on the cookie. */
type CookieChange = "none" | "removed" | "set";

const cookieChange = (set: string | undefined): CookieChange => {
  if (set === undefined) return "none";
  return set === "" ? "removed" : "set";
};

const predictedChange = (session: ModelSession | null | undefined): CookieChange => {
  if (session === undefined) return "none";
  return session === null ? "removed" : "set";
};

for (const signed of [false, true]) {
  const kind = signed ? "signed" : "stored";

  test(`${kind} sessions of two hosts whose clocks differ match the model`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -20_000, max: 20_000 }),
        fc.array(step, { maxLength: 30 }),
        async (skewMs, steps) => {
          const clock = virtualClock({ start: 1_800_000_000_000 });
          const store = sharedSessionStore(inProcessState({ clock }).values);
          const hosts = [0, skewMs].map((ms) =>
            openShop({
              store,
              ...(signed && { signed, secret }),
              clock: { ...clock, date: () => clock.date() + ms },
            }),
          );
          const issued: IssuedCookie[] = [];
          const browsers: (IssuedCookie | undefined)[] = [undefined, undefined, undefined];
          const cartOf = ({ session, cart }: IssuedCookie): string | null => (signed ? cart : session.cart);

          /** Applies a request to the model. Returns the session of the new cookie, or the status of a refusal. */
          const predict = (
            op: string,
            from: IssuedCookie | undefined,
            user: string,
            item: string,
          ): { status: number; session?: ModelSession | null } => {
            const found = from?.session.state === "alive" ? from : undefined;
            const isEnded = from?.session.state === "ended";
            const end = (): void => {
              if (found !== undefined) found.session.state = "ended";
            };
            const cart = found === undefined ? null : cartOf(found);
            if (op === "logout") {
              end();
              return { status: 200, session: null };
            }
            if (op === "login") {
              end();
              const keeps = found?.session.user === null || found?.session.user === user;
              return { status: 200, session: { state: "alive", user, cart: keeps ? cart : null } };
            }
            if (isEnded) return { status: 409 };
            if (op === "promote") {
              end();
              return { status: 200, session: { state: "alive", user: found?.session.user ?? null, cart } };
            }
            if (found === undefined)
              return { status: 200, session: { state: "alive", user: null, cart: item } };
            found.session.cart = item;
            return signed ? { status: 200, session: found.session } : { status: 200 };
          };

          for (const { op, browser, stolen, host, user, item, waitMs } of steps) {
            const shop = hosts[host];
            if (shop === undefined) continue;
            if (op === "wait") {
              await clock.advance(waitMs);
              continue;
            }
            if (op === "destroyAll") {
              await shop.app.start({ logs: false }).catch(() => {}); // started by its first request otherwise
              await shop.app.sessions.destroyAll(user);
              for (const { session } of issued)
                if (session.user === user && session.state === "alive") session.state = "destroyed";
              continue;
            }
            const from = stolen === null ? browsers[browser] : issued[stolen % Math.max(1, issued.length)];
            const path = op === "cart" ? `/cart/${item}` : op === "login" ? `/login/${user}` : `/${op}`;
            const predicted = predict(op, from, user, item);
            const reply = await send(shop, "POST", path, from?.value);
            const { session } = predicted;
            expect([op, reply.status, cookieChange(reply.set)]).toEqual([
              op,
              predicted.status,
              predictedChange(session),
            ]);
            // Equal content has the same signed value; an id is always new.
            const known = issued.find(({ value }) => value === reply.set)?.session;
            expect([undefined, signed ? session : undefined]).toContain(known);
            if (session) issued.push({ value: reply.set ?? "", session, cart: session.cart });
            if (stolen === null && session !== undefined)
              browsers[browser] = session === null ? undefined : issued.at(-1);
          }

          for (const each of issued) {
            const isAlive = each.session.state === "alive";
            const expected = isAlive
              ? { user: each.session.user, cart: cartOf(each) }
              : { user: null, cart: null };
            for (const shop of hosts) {
              const { text } = await send(shop, "GET", "/me", each.value);
              expect(JSON.parse(text)).toEqual(expected);
            }
          }
          await Promise.all(hosts.map(({ app }) => app.stop()));
        },
      ),
      { numRuns },
    );
  }, 300_000);
}
