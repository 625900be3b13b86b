import { createHash } from "node:crypto";
import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { claimAttacks, hs256 } from "./claim-attacks.test-kit.ts";
import {
  base64url,
  ec,
  forge,
  validClaims,
  hmac,
  jwk,
  nowSecs,
  pem,
  rsa,
  secret,
  signedBy,
} from "./forge.test-kit.ts";
import { configs, validTokens, type ConfigName } from "./valid-tokens.test-kit.ts";
import { JwtAuth, type JwtConfig } from "../index.ts";

const createApp = (config: ConfigInput<JwtConfig>) => {
  const app = new App().use(new JwtAuth(config, { clock: virtualClock({ start: nowSecs * 1000 }) }));
  app.get("/", (request) => request.context.get("jwt_claims"));
  return app;
};

const send = async (config: ConfigInput<JwtConfig>, authorization: string): Promise<TestReply> => {
  await using client = testClient(createApp(config));
  return await client.get("/", { headers: { authorization } });
};

const [head = "", body = "", signature = ""] = validTokens.HS256.split(".");
const none = (alg: string) => `${base64url({ alg })}.${body}.`;
const publicPem = pem(rsa.publicKey);
const always = (bytes: Uint8Array) => () => bytes;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const nonCanonical = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.slice(-1)) + 1]; // the last character has two unused bits

const attacks: readonly (readonly [name: string, token: string, config?: ConfigName])[] = [
  // RFC 8725 2.1, 3.1: the algorithm
  ["alg none", none("none")],
  ["alg None", none("None")],
  ["alg NONE", none("NONE")],
  ["alg nOnE", none("nOnE")],
  ["alg none with a signature", `${base64url({ alg: "none" })}.${body}.${signature}`],
  ["alg empty", none("")],
  ["alg absent", forge({})],
  ["alg null", forge({ alg: null })],
  ["alg a list", forge({ alg: ["HS256"] })],
  ["alg an object", forge({ alg: { toString: "HS256" } })],
  ["alg in lower case", forge({ alg: "hs256" })],
  ["alg with a space", forge({ alg: "HS256 " })],
  ["alg HS384 with its own hash", forge({ alg: "HS384" }, validClaims, hmac(secret, "sha384"))],
  ["alg HS512 with its own hash", forge({ alg: "HS512" }, validClaims, hmac(secret, "sha512"))],
  ["alg HS256 signed with HS512", forge({ alg: "HS256" }, validClaims, hmac(secret, "sha512"))],
  ["alg RS256 where HS256 is expected", forge({ alg: "RS256" }, validClaims, signedBy(rsa.privateKey))],
  ["alg RS256 with an HMAC signature", forge({ alg: "RS256" })],
  [
    "CVE-2026-34950: the public PEM as HMAC secret",
    forge({ alg: "HS256" }, validClaims, hmac(publicPem)),
    "RS256",
  ],
  [
    "GHSA-ww5h-9m49-7xx4: the same with alg RS256",
    forge({ alg: "RS256" }, validClaims, hmac(publicPem)),
    "RS256",
  ],
  ["the public PEM, trimmed", forge({ alg: "HS256" }, validClaims, hmac(publicPem.trim())), "RS256"],
  [
    "CVE-2026-22817: the public JWK as HMAC secret",
    forge({ alg: "HS256" }, validClaims, hmac(JSON.stringify(jwk(rsa.publicKey)))),
    "RS256",
  ],
  [
    "the DER of the public key as HMAC secret",
    forge({ alg: "HS256" }, validClaims, hmac(rsa.publicKey.export({ format: "der", type: "spki" }))),
    "RS256",
  ],
  ["alg none for RS256", none("none"), "RS256"],
  ["PS256 with the right RSA key", forge({ alg: "PS256" }, validClaims, signedBy(rsa.privateKey)), "RS256"],
  [
    "RS512 with the right RSA key",
    forge({ alg: "RS512" }, validClaims, signedBy(rsa.privateKey, "sha512")),
    "RS256",
  ],
  [
    "RS256 signed with SHA-512",
    forge({ alg: "RS256" }, validClaims, signedBy(rsa.privateKey, "sha512")),
    "RS256",
  ],
  ["an RSA signature of zeros", forge({ alg: "RS256" }, validClaims, always(new Uint8Array(256))), "RS256"],
  ["a truncated RSA signature", forge({ alg: "RS256" }, validClaims, always(new Uint8Array(1))), "RS256"],
  ["an EC token for an RSA key", validTokens.ES256, "RS256"],
  [
    "CVE-2022-21449: an ECDSA signature of zeros",
    forge({ alg: "ES256" }, validClaims, always(new Uint8Array(64))),
    "ES256",
  ],
  [
    "an ECDSA signature in DER",
    forge({ alg: "ES256" }, validClaims, always(Buffer.from("300602010102010100", "hex"))),
    "ES256",
  ],
  [
    "an ECDSA signature of 63 bytes",
    forge({ alg: "ES256" }, validClaims, always(new Uint8Array(63).fill(1))),
    "ES256",
  ],
  [
    "an ECDSA signature of 65 bytes",
    forge({ alg: "ES256" }, validClaims, (input) =>
      Buffer.concat([signedBy(ec.privateKey)(input), Buffer.of(0)]),
    ),
    "ES256",
  ],
  ["an RSA token for an EC key", validTokens.RS256, "ES256"],
  ["alg HS256 with the EC PEM", forge({ alg: "HS256" }, validClaims, hmac(pem(ec.publicKey))), "ES256"],
  ["an EdDSA signature of zeros", forge({ alg: "EdDSA" }, validClaims, always(new Uint8Array(64))), "EdDSA"],
  [
    "an Ed25519 signature of the neutral point",
    forge({ alg: "EdDSA" }, validClaims, always(Buffer.concat([Buffer.of(1), new Uint8Array(63)]))),
    "EdDSA",
  ],
  ["an EC token for an Ed25519 key", validTokens.ES256, "EdDSA"],
  // the signature
  ["another secret", forge({ alg: "HS256" }, validClaims, hmac(`${secret}!`))],
  ["an empty secret", forge({ alg: "HS256" }, validClaims, hmac(""))],
  ["no signature", `${head}.${body}.`],
  ["half a signature", `${head}.${body}.${signature.slice(0, 20)}`],
  ["a longer signature", `${head}.${body}.${signature}AA`],
  [
    "the digest instead of the signature",
    `${head}.${body}.${createHash("sha256").update(`${head}.${body}`).digest("base64url")}`,
  ],
  ["claims changed after signing", `${head}.${base64url({ ...validClaims, sub: "root" })}.${signature}`],
  ["header changed after signing", `${base64url({ alg: "HS256", typ: "JWT" })}.${body}.${signature}`],
  // RFC 7515 2, 7.1: the serialization
  ["no dots", "abc"],
  ["one dot", `${head}.${body}`],
  ["four parts", `${validTokens.HS256}.${signature}`],
  ["five parts, like a JWE", `${validTokens.HS256}.${body}.${signature}`],
  ["only dots", ".."],
  ["an empty header", `.${body}.${signature}`],
  ["an empty payload", forge({ alg: "HS256" }, "")],
  ["padding", `${head}.${body}.${signature}=`],
  ["non-zero trailing bits", `${head}.${body}.${nonCanonical}`],
  [
    "the Base64 alphabet",
    `${head}.${body}.${Buffer.from(signature, "base64url").toString("base64").replace(/=/g, "")}+`,
  ],
  ["junk that lenient decoders skip", `${head}.${body}.${signature.slice(0, 5)}!${signature.slice(5)}`],
  ["a byte order mark before the header", forge('\ufeff{"alg":"HS256"}')],
  ["a header that is a list", forge([{ alg: "HS256" }])],
  ["a header that is a string", forge('"HS256"')],
  ["a header that is null", forge("null")],
  ["a header that is not JSON", forge("{alg:HS256}")],
  ["alg twice in the header", forge('{"alg":"none","alg":"HS256"}')],
  ["alg twice, once escaped", forge('{"\\u0061lg":"none","alg":"HS256"}')],
  ["the JSON serialization", JSON.stringify({ protected: head, payload: body, signature })],
  ["more than 8 KiB", hs256({}, { ...validClaims, pad: "x".repeat(6200) })],
  ["a second token after a comma", `${validTokens.HS256},${validTokens.HS256}`],
  ["a second token after a space", `${validTokens.HS256} ${validTokens.HS256}`],
  // RFC 8725 3.5, RFC 7515 4.1: keys and extensions in the header
  ["CVE-2026-35042: an unknown crit", hs256({ crit: ["urn:x"], "urn:x": 1 })],
  ["an empty crit", hs256({ crit: [] })],
  ["crit that names alg", hs256({ crit: ["alg"] })],
  ["crit that is not a list", hs256({ crit: "exp" })],
  ["b64 false", hs256({ b64: false, crit: ["b64"] })],
  ["b64 true", hs256({ b64: true })],
  ["an embedded jwk", hs256({ jwk: { kty: "oct", k: base64url(secret) } })],
  [
    "CVE-2018-0114: an embedded jwk that signed the token",
    forge({ alg: "RS256", jwk: jwk(rsa.publicKey) }, validClaims, signedBy(rsa.privateKey)),
    "RS256",
  ],
  ["jku", hs256({ jku: "https://evil.example/keys" })],
  ["x5u", hs256({ x5u: "https://evil.example/cert" })],
  ["x5c", hs256({ x5c: ["MII"] })],
  ["zip", hs256({ zip: "DEF" })],
  ["enc", hs256({ enc: "A256GCM" })],
  ["cty JWT, a nested token", hs256({ cty: "JWT" }, validTokens.HS256)],
  ["kid that is not a string", hs256({ kid: 1 })],
  ["kid that is too long", hs256({ kid: "k".repeat(257) })],
  ["typ of a refresh token", hs256({ typ: "refresh+jwt" })],
  ["typ of a logout token", hs256({ typ: "logout+jwt" })],
  ["typ that is not a string", hs256({ typ: ["JWT"] })],
  ...claimAttacks,
];

test("the attacks are numerous and distinct", () => {
  expect(new Set(attacks.map(([name]) => name)).size).toBe(attacks.length);
  expect(attacks.length).toBeGreaterThan(100);
});

test.each(Object.entries(validTokens))("a valid token for %s is accepted", async (name, token) => {
  const reply = await send(configs[name as ConfigName], `Bearer ${token}`);
  expect([reply.status, reply.json<{ sub: string }>().sub]).toEqual([200, "ann"]);
});

test.each(attacks)("401: %s", async (_name, token, config = "HS256") => {
  const reply = await send(configs[config], `Bearer ${token}`);
  expect([reply.status, reply.text, reply.headers.get("www-authenticate")]).toEqual([
    401,
    '{"error":"Unauthorized","detail":"Invalid or expired token","status":401}',
    'Bearer realm="Restricted", error="invalid_token"',
  ]);
});

test("a token with any one character changed, removed or inserted is refused", async () => {
  await using client = testClient(createApp(configs.ES256));
  const status = async (token: string) =>
    (await client.get("/", { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status(validTokens.ES256)).toBe(200);
  const character = fc.constantFrom(...`${alphabet}+/=.`.split(""));
  const change = fc.record({
    at: fc.nat(validTokens.ES256.length - 1),
    replaced: fc.nat(1),
    character: fc.option(character, { nil: "" }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, replaced, character: put }) => {
      const changed = validTokens.ES256.slice(0, at) + put + validTokens.ES256.slice(at + replaced);
      fc.pre(changed !== validTokens.ES256);
      expect(await status(changed)).toBe(401);
    }),
    { numRuns: 300 },
  );
});
