import { JwtAuth } from "@framework/auth";
import { systemClock } from "@framework/core/feature";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  type AccessDecision,
  entryPointNames,
  type EntryPoints,
  openEntryPoints,
} from "./access-decisions.test-kit.ts";

const SECRET = "a secret of at least thirty-two bytes";
const auth = new JwtAuth({ secret: SECRET, audience: "library" });
const otherAuth = (config: object): JwtAuth =>
  new JwtAuth({ secret: SECRET, audience: "library", ...config });
const expired = (): JwtAuth =>
  new JwtAuth({ secret: SECRET, audience: "library" }, { clock: { ...systemClock, date: () => 0 } });
const keeper = { sub: "ada", roles: ["keeper"] };

const tokens: readonly (readonly [
  name: string,
  make: () => Promise<string> | null,
  decision: AccessDecision,
])[] = [
  ["no token", () => null, 401],
  ["a string that is not a token", async () => "nonsense", 401],
  ["a token signed with another secret", () => otherAuth({ secret: `${SECRET}!` }).createToken(keeper), 401],
  ["a token for another audience", () => otherAuth({ audience: "windows" }).createToken(keeper), 401],
  ["an expired token", () => expired().createToken(keeper), 401],
  ["a token with another role", () => auth.createToken({ sub: "ada", roles: ["reader"] }), 403],
  ["a token without roles", () => auth.createToken({ sub: "ada" }), 403],
  ["a token with the role", () => auth.createToken(keeper), "ok"],
];

let entryPoints: EntryPoints;
beforeAll(async () => {
  entryPoints = await openEntryPoints(auth);
}, 120_000);
afterAll(async () => await entryPoints[Symbol.asyncDispose]());

test.each(tokens)(
  "%s gets the same decision from HTTP, WebSocket, GraphQL, gRPC, gRPC-Web and messages",
  async (_name, make, decision) => {
    const token = await make();
    const decisions: Record<string, AccessDecision> = {};
    for (const [entryPoint, call] of Object.entries(entryPoints.calls))
      decisions[entryPoint] = await call(token);
    expect(decisions).toEqual(Object.fromEntries(entryPointNames.map((name) => [name, decision])));
  },
  120_000,
);
