import { JwtAuth } from "@framework/auth";
import { systemClock } from "@framework/core/feature";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type EntryPoints, openEntryPoints, type Verdict } from "./verdicts.test-kit.ts";

const SECRET = "a secret of at least thirty-two bytes";
const auth = new JwtAuth({ secret: SECRET, audience: "library" });
const other = (config: object): JwtAuth => new JwtAuth({ secret: SECRET, audience: "library", ...config });
const expired = (): JwtAuth =>
  new JwtAuth({ secret: SECRET, audience: "library" }, { clock: { ...systemClock, date: () => 0 } });
const keeper = { sub: "ada", roles: ["keeper"] };

const tokens: readonly (readonly [name: string, make: () => Promise<string> | null, verdict: Verdict])[] = [
  ["no token", () => null, 401],
  ["a text that is no token", async () => "nonsense", 401],
  ["a token of another secret", () => other({ secret: `${SECRET}!` }).createToken(keeper), 401],
  ["a token for another audience", () => other({ audience: "windows" }).createToken(keeper), 401],
  ["an expired token", () => expired().createToken(keeper), 401],
  ["a token of another role", () => auth.createToken({ sub: "ada", roles: ["reader"] }), 403],
  ["a token without roles", () => auth.createToken({ sub: "ada" }), 403],
  ["a token of the role", () => auth.createToken(keeper), "ok"],
];

let entryPoints: EntryPoints;
beforeAll(async () => {
  entryPoints = await openEntryPoints(auth);
}, 120_000);
afterAll(async () => await entryPoints[Symbol.asyncDispose]());

test.each(tokens)(
  "%s gets the same verdict from HTTP, WebSocket, GraphQL, gRPC and messages",
  async (_name, make, verdict) => {
    const token = await make();
    const verdicts: Record<string, Verdict> = {};
    for (const [entryPoint, ask] of Object.entries(entryPoints.ask)) verdicts[entryPoint] = await ask(token);
    expect(verdicts).toEqual({
      HTTP: verdict,
      WebSocket: verdict,
      GraphQL: verdict,
      gRPC: verdict,
      messages: verdict,
    });
  },
  120_000,
);
