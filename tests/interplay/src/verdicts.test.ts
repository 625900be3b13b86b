import { JwtAuth } from "@framework/auth";
import { systemClock } from "@framework/core/feature";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Doors, openDoors, type Verdict } from "./verdicts.test-kit.ts";

const SECRET = "a secret of at least thirty-two bytes";
const auth = new JwtAuth({ secret: SECRET, audience: "doors" });
const other = (config: object): JwtAuth => new JwtAuth({ secret: SECRET, audience: "doors", ...config });
const expired = (): JwtAuth =>
  new JwtAuth({ secret: SECRET, audience: "doors" }, { clock: { ...systemClock, date: () => 0 } });
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

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors(auth);
}, 120_000);
afterAll(async () => await doors[Symbol.asyncDispose]());

test.each(tokens)(
  "%s gets the same verdict from HTTP, WebSocket, GraphQL, gRPC and messages",
  async (_name, make, verdict) => {
    const token = await make();
    const verdicts: Record<string, Verdict> = {};
    for (const [door, ask] of Object.entries(doors.ask)) verdicts[door] = await ask(token);
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
