// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { eachClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { BasicAuth, isSameSecret, User } from "../index.ts";

const users: ReadonlyMap<string, string> = new Map([
  ["ann", "secret"],
  ["bob", "with:colons::"],
  ["zoë", "pässwörd \u{1f600}"],
  ["empty", ""],
]);

const createApp = () => {
  const app = new App().use(new BasicAuth((name, password) => users.get(name) === password));
  app.get("/", ({ context }) => ({ user: context.get(User), byName: context.get("user") }));
  return app;
};

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");
const validCredentials = base64("ann:secret");
const challenge = 'Basic realm="Restricted", charset="UTF-8"';
const missing = '{"error":"Unauthorized","detail":"Authentication required","status":401}';
const invalid = '{"error":"Unauthorized","detail":"Invalid credentials","status":401}';

type Attacks = readonly (readonly [name: string, authorization: string, body?: string])[];

/** Requests that are refused without a call of `verify`. */
const malformed: Attacks = [
  ["another scheme", `Bearer ${validCredentials}`, missing],
  ["a scheme with a suffix", `BasicX ${validCredentials}`, missing],
  ["no scheme", validCredentials, missing],
  ["no space after the scheme", `Basic${validCredentials}`, missing],
  ["a tab instead of a space", `Basic\t${validCredentials}`, missing],
  ["a scheme with a homoglyph", `Basiс ${validCredentials}`.replace("с", "%D1%81"), missing],
  ["a scheme without credentials", "Basic"],
  ["an equals sign", "Basic ="],
  ["no colon", `Basic ${base64("annsecret")}`],
  ["a colon alone", `Basic ${base64(":")}`],
  ["no name", `Basic ${base64(":secret")}`],
  ["a NUL in the name", `Basic ${base64("ann\0:secret")}`],
  ["a NUL after the password", `Basic ${base64("ann:secret\0")}`],
  ["a line feed after the password", `Basic ${base64("ann:secret\n")}`],
  ["a carriage return in the name", `Basic ${base64("ann\r:secret")}`],
  ["a C1 control character", `Basic ${base64("ann:secret\u0085")}`],
  ["a DEL character", `Basic ${base64("ann:\u007fsecret")}`],
  ["Latin-1", `Basic ${base64(latin1("zoë:pässwörd"))}`],
  ["truncated UTF-8", `Basic ${base64(Buffer.from("zoë").subarray(0, 3))}`],
  ["overlong UTF-8", `Basic ${base64(Buffer.from([0x61, 0x6e, 0xc1, 0xae, 0x3a, 0x73]))}`],
  ["a lone surrogate", `Basic ${base64(Buffer.from([0x61, 0x3a, 0xed, 0xa0, 0x80]))}`],
  ["missing padding", `Basic ${base64("ann:secretx").replace(/=+$/, "")}`],
  ["valid credentials without padding", `Basic ${base64("empty:").slice(0, -1)}`],
  ["excess padding", `Basic ${validCredentials}==`],
  ["padding in the middle", `Basic ${validCredentials.slice(0, 4)}=${validCredentials.slice(4)}`],
  ["non-zero trailing bits", "Basic ZW1wdHk6YR=="],
  ["base64url", `Basic ${base64("zoë:pässwörd \u{1f600}").replace(/\+/g, "-").replace(/\//g, "_")}-`],
  ["a space inside", `Basic ${validCredentials.slice(0, 4)} ${validCredentials.slice(4)}`],
  ["junk that lenient decoders skip", `Basic ${validCredentials.slice(0, 4)}!${validCredentials.slice(4)}`],
  ["quotes around", `Basic "${validCredentials}"`],
  ["two credentials", `Basic ${validCredentials}, Basic ${validCredentials}`],
  ["two credentials after one scheme", `Basic ${validCredentials},${validCredentials}`],
  ["plain text", "Basic ann:secret"],
  ["encoded twice", `Basic ${base64(validCredentials)}`],
  ["more than 8 KiB", `Basic ${base64(`ann:${"x".repeat(6200)}`)}`],
];

/** Well-formed credentials that `verify` refuses. */
const wrong: Attacks = [
  ["no password", `Basic ${base64("ann:")}`],
  ["a wrong password", `Basic ${base64("ann:Secret")}`],
  ["the start of the password", `Basic ${base64("ann:secre")}`],
  ["the password with a suffix", `Basic ${base64("ann:secret!")}`],
  ["an additional colon", `Basic ${base64("ann::secret")}`],
  ["a name with a colon", `Basic ${base64("bob:with:colons:")}`],
  ["an unknown name", `Basic ${base64("eve:secret")}`],
  ["a name in a different case", `Basic ${base64("ANN:secret")}`],
  ["a name with a trailing space", `Basic ${base64("ann :secret")}`],
  ["the name __proto__", `Basic ${base64("__proto__:secret")}`],
  ["the name constructor", `Basic ${base64("constructor:")}`],
  ["a byte order mark", `Basic ${base64("\ufeffann:secret")}`],
  ["a decomposed name", `Basic ${base64("zoe\u0308:pässwörd \u{1f600}")}`],
];

const attacks: Attacks = [...malformed, ...wrong];

test("the list has more than 40 attacks", () => expect(attacks.length).toBeGreaterThan(40));

eachClient(test, createApp, {
  "a caller with the right password is accepted, and its name is set": async (client) => {
    for (const scheme of ["Basic ", "basic ", "BASIC   "])
      for (const [name, password] of users) {
        const reply = await client.get("/", {
          headers: { authorization: scheme + base64(`${name}:${password}`) },
        });
        expect([reply.status, reply.json()]).toEqual([200, { user: name, byName: name }]);
      }
  },
  "wrong or missing credentials get 401, with the same body unless they are missing": async (client) => {
    const none = await client.get("/");
    expect([none.status, none.text, none.headers.get("www-authenticate")]).toEqual([401, missing, challenge]);
    for (const [name, authorization, body = invalid] of attacks) {
      const reply = await client.get("/", { headers: { authorization } });
      expect([name, reply.status, reply.text, reply.headers.get("www-authenticate")]).toEqual([
        name,
        401,
        body,
        challenge,
      ]);
    }
  },
});

test("malformed credentials never reach verify, which would have accepted them", async () => {
  const checkedCredentials: string[] = [];
  const app = new App().use(
    new BasicAuth((name, password) => checkedCredentials.push(`${name}:${password}`) > 0),
  );
  app.get("/", () => "in");
  await using client = testClient(app);
  for (const [name, authorization] of malformed)
    expect([
      name,
      (await client.get("/", { headers: { authorization } })).status,
      checkedCredentials,
    ]).toEqual([name, 401, []]);
});

test("verify accepts a caller only by returning true, synchronously or asynchronously; an error is a 500", async () => {
  for (const [verdict, status] of [
    [true, 200],
    [false, 401],
    ["yes", 401],
    [1, 401],
    [{}, 401],
    [undefined, 401],
  ] as const) {
    for (const verify of [() => verdict as boolean, async () => verdict as boolean]) {
      const app = new App().use(new BasicAuth(verify));
      app.get("/", () => "in");
      await using client = testClient(app);
      expect(
        (await client.get("/", { headers: { authorization: `Basic ${validCredentials}` } })).status,
      ).toBe(status);
    }
  }
  const app = new App().use(
    new BasicAuth(() => {
      throw new Error("canary");
    }),
  );
  await using client = testClient(app, { env: "production" });
  const reply = await client.get("/", { headers: { authorization: `Basic ${validCredentials}` } });
  expect([reply.status, reply.text.includes("canary")]).toEqual([500, false]);
});

test("names and passwords without control characters reach verify unchanged", async () => {
  const seen: string[] = [];
  const app = new App().use(new BasicAuth((name, password) => seen.push(name, password) > 0));
  app.get("/", () => "in");
  await using client = testClient(app);
  const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !/\p{Cc}/u.test(value));
  const name = text.filter((value) => value !== "" && !value.includes(":"));
  await fc.assert(
    fc.asyncProperty(name, text, async (username, password) => {
      seen.length = 0;
      await client.get("/", { headers: { authorization: `Basic ${base64(`${username}:${password}`)}` } });
      expect(seen).toEqual([username, password]);
    }),
  );
});

test("a value other than a function is refused at start", async () => {
  await expect(new App().use(new BasicAuth("secret" as never)).start()).rejects.toMatchObject({
    code: "CORE_BAD_CONFIG",
  });
});

test("a verify that does not settle in time is a 503 after 30 s, logged once a minute; a later true has no effect", async () => {
  const clock = virtualClock();
  const logged: string[] = [];
  const resolvers: ((isRight: boolean) => void)[] = [];
  const verify = () => new Promise<boolean>((resolve) => void resolvers.push(resolve));
  const app = new App().use(new BasicAuth(verify, { clock }));
  let served = 0;
  app.get("/", () => `served ${++served}`);
  await using client = testClient(app);
  const error = (message: string) => void logged.push(message);
  await app.start({ log: { info() {}, warn() {}, error } });
  for (const expected of [1, 1, 2]) {
    const reply = client.get("/", { headers: { authorization: `Basic ${validCredentials}` } });
    await waitFor(() => resolvers.length === 1);
    await clock.advance(30_001);
    expect(await reply).toMatchObject({ status: 503 });
    resolvers.pop()?.(true);
    const line = "verify of BasicAuth did not answer in time and the request was refused";
    expect([logged, served]).toEqual([Array(expected).fill(line), 0]);
  }
});

test.each([0, 0.5, 600_001, Number.NaN, "5"])("a timeoutMs of %p is refused at start", async (timeoutMs) => {
  const app = new App().use(new BasicAuth(() => true, { timeoutMs: timeoutMs as number }));
  await expect(app.start()).rejects.toMatchObject({ code: "CORE_BAD_CONFIG" });
});

test.each([
  [{}, 401, ""],
  [{ allowEmptyName: true }, 200, ""],
  [{ allowEmptyName: "deploy" }, 200, "deploy"],
])("with %j an empty name, such as from curl -u :TOKEN, gets %i", async (options, status, name) => {
  const verify = (_name: string, token: string) => isSameSecret(token, "the token");
  const app = new App().use(new BasicAuth(verify, options));
  app.get("/", ({ context }) => context.get(User) ?? "nobody");
  await using client = testClient(app);
  const send = async (credentials: string) =>
    client.get("/", { headers: { authorization: `Basic ${base64(credentials)}` } });
  const reply = await send(":the token");
  expect([reply.status, status === 401 || reply.text === name]).toEqual([status, true]);
  expect([(await send(":the tokem")).status, (await send(":")).status, (await send("")).status]).toEqual([
    401, 401, 401,
  ]);
  expect((await send("ann:the token")).text).toBe("ann");
});

/** Any code point except surrogates; fast-check's unit `binary` is a table of a million entries, which takes a second to build. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((at) => {
  return String.fromCodePoint(at < 0xd800 ? at : at + 0x800);
});

test("isSameSecret is true for equal non-empty strings only", () => {
  const text = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect([isSameSecret(one, other), isSameSecret(one, one)]).toEqual([
        one === other && one !== "",
        one !== "",
      ]);
    }),
  );
  for (const none of [undefined, null, ""])
    expect([isSameSecret("", none), isSameSecret("x", none)]).toEqual([false, false]);
  for (const wrong of [undefined, null, 7, ["x"], "\ud800"])
    expect(isSameSecret(wrong, "\ufffd")).toBe(false);
});
