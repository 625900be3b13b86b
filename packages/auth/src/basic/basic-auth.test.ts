// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { App } from "@framework/core";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { BasicAuth, User } from "../index.ts";

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

const encoded = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");
const good = encoded("ann:secret");
const challenge = 'Basic realm="Restricted", charset="UTF-8"';
const missing = '{"error":"Unauthorized","detail":"Authentication required","status":401}';
const invalid = '{"error":"Unauthorized","detail":"Invalid credentials","status":401}';

const attacks: readonly (readonly [name: string, authorization: string, body?: string])[] = [
  ["another scheme", `Bearer ${good}`, missing],
  ["a scheme that only begins right", `BasicX ${good}`, missing],
  ["no scheme", good, missing],
  ["no blank", `Basic${good}`, missing],
  ["a tab for a blank", `Basic\t${good}`, missing],
  ["a scheme in other letters", `Basiс ${good}`.replace("с", "%D1%81"), missing],
  ["nothing behind the scheme", "Basic"],
  ["an equals sign", "Basic ="],
  ["no colon", `Basic ${encoded("annsecret")}`],
  ["a colon alone", `Basic ${encoded(":")}`],
  ["no name", `Basic ${encoded(":secret")}`],
  ["no password", `Basic ${encoded("ann:")}`],
  ["a wrong password", `Basic ${encoded("ann:Secret")}`],
  ["the start of the password", `Basic ${encoded("ann:secre")}`],
  ["more than the password", `Basic ${encoded("ann:secret!")}`],
  ["a colon more", `Basic ${encoded("ann::secret")}`],
  ["a name with a colon", `Basic ${encoded("bob:with:colons:")}`],
  ["an unknown name", `Basic ${encoded("eve:secret")}`],
  ["a name in another case", `Basic ${encoded("ANN:secret")}`],
  ["a name with a blank", `Basic ${encoded("ann :secret")}`],
  ["a name of the prototype", `Basic ${encoded("__proto__:secret")}`],
  ["another name of the prototype", `Basic ${encoded("constructor:")}`],
  ["a NUL in the name", `Basic ${encoded("ann\0:secret")}`],
  ["a NUL behind the password", `Basic ${encoded("ann:secret\0")}`],
  ["a line feed behind the password", `Basic ${encoded("ann:secret\n")}`],
  ["a carriage return in the name", `Basic ${encoded("ann\r:secret")}`],
  ["a control of C1", `Basic ${encoded("ann:secret\u0085")}`],
  ["a DEL", `Basic ${encoded("ann:\u007fsecret")}`],
  ["a byte order mark", `Basic ${encoded("\ufeffann:secret")}`],
  ["Latin-1", `Basic ${encoded(latin1("zoë:pässwörd"))}`],
  ["UTF-8 that is cut", `Basic ${encoded(Buffer.from("zoë").subarray(0, 3))}`],
  [
    "UTF-8 that is too long for its character",
    `Basic ${encoded(Buffer.from([0x61, 0x6e, 0xc1, 0xae, 0x3a, 0x73]))}`,
  ],
  ["a lone surrogate", `Basic ${encoded(Buffer.from([0x61, 0x3a, 0xed, 0xa0, 0x80]))}`],
  ["a decomposed name", `Basic ${encoded("zoe\u0308:pässwörd \u{1f600}")}`],
  ["padding left out", `Basic ${encoded("ann:secretx").replace(/=+$/, "")}`],
  ["padding left out of what is right", `Basic ${encoded("empty:").slice(0, -1)}`],
  ["padding too much", `Basic ${good}==`],
  ["padding in the middle", `Basic ${good.slice(0, 4)}=${good.slice(4)}`],
  ["loose last bits", "Basic ZW1wdHk6YR=="],
  [
    "the URL's alphabet",
    `Basic ${encoded("zoë:pässwörd \u{1f600}").replace(/\+/g, "-").replace(/\//g, "_")}-`,
  ],
  ["a blank within", `Basic ${good.slice(0, 4)} ${good.slice(4)}`],
  ["junk that lenient decoders skip", `Basic ${good.slice(0, 4)}!${good.slice(4)}`],
  ["quotes around", `Basic "${good}"`],
  ["two credentials", `Basic ${good}, Basic ${good}`],
  ["two behind one scheme", `Basic ${good},${good}`],
  ["plain text", "Basic ann:secret"],
  ["encoded twice", `Basic ${encoded(good)}`],
  ["more than 8 KiB", `Basic ${encoded(`ann:${"x".repeat(6200)}`)}`],
];

test("there are enough attacks", () => expect(attacks.length).toBeGreaterThan(40));

eachClient(test, createApp, {
  "a caller with the password is accepted and named": async (client) => {
    for (const scheme of ["Basic ", "basic ", "BASIC   "])
      for (const [name, password] of users) {
        const reply = await client.get("/", {
          headers: { authorization: scheme + encoded(`${name}:${password}`) },
        });
        expect([reply.status, reply.json()]).toEqual([200, { user: name, byName: name }]);
      }
  },
  "all other callers get the same refusal": async (client) => {
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
  const asked: string[] = [];
  const app = new App().use(new BasicAuth((name, password) => asked.push(`${name}:${password}`) > 0));
  app.get("/", () => "in");
  await using client = testClient(app);
  const wellFormed =
    /password|colon more|with a colon|name in|an unknown|with a blank|of the prototype|decomposed|byte order/;
  for (const [name, authorization] of attacks.filter(
    ([each]) => !wellFormed.test(each) || /behind|left out/.test(each),
  ))
    expect([name, (await client.get("/", { headers: { authorization } })).status, asked]).toEqual([
      name,
      401,
      [],
    ]);
});

test("only true accepts, synchronously or not; an error is a 500", async () => {
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
      expect((await client.get("/", { headers: { authorization: `Basic ${good}` } })).status).toBe(status);
    }
  }
  const app = new App().use(
    new BasicAuth(() => {
      throw new Error("canary");
    }),
  );
  await using client = testClient(app, { env: "production" });
  const reply = await client.get("/", { headers: { authorization: `Basic ${good}` } });
  expect([reply.status, reply.text.includes("canary")]).toEqual([500, false]);
});

test("any name and password without controls arrives as it was sent", async () => {
  const seen: string[] = [];
  const app = new App().use(new BasicAuth((name, password) => seen.push(name, password) > 0));
  app.get("/", () => "in");
  await using client = testClient(app);
  const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !/\p{Cc}/u.test(value));
  const name = text.filter((value) => value !== "" && !value.includes(":"));
  await fc.assert(
    fc.asyncProperty(name, text, async (username, password) => {
      seen.length = 0;
      await client.get("/", { headers: { authorization: `Basic ${encoded(`${username}:${password}`)}` } });
      expect(seen).toEqual([username, password]);
    }),
  );
});

test("a value other than a function is refused at start", async () => {
  await expect(new App().use(new BasicAuth("secret" as never)).start()).rejects.toMatchObject({
    code: "CORE_BAD_CONFIG",
  });
});
