import { generateKeyPairSync } from "node:crypto";
import { App, ConfigurationError } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JwtAuth, type JwtAlgorithm, JwtConfig } from "../index.ts";
import { ec, ed, forge, hmac, jwk, pem, rsa, secret } from "../jwt/forge.test-kit.ts";
import { readOwnKeys } from "./own-keys.ts";

/** Returns the codes of the problems that an app reports at start, or `[]`. */
const startProblems = async (config: ConfigInput<JwtConfig>): Promise<readonly string[]> => {
  const app = new App().use(new JwtAuth(config));
  const error = await app.start().then(
    () => null,
    (reason: unknown) => reason,
  );
  await app.stop();
  return error instanceof ConfigurationError ? error.problems.map(({ code }) => code) : [];
};

const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });

test.each<[string, ConfigInput<JwtConfig>, string[]]>([
  ["a secret", { secret }, []],
  ["bytes as secret", { secret: new Uint8Array(32).fill(7) }, []],
  ["a public key", { algorithm: "RS256", publicKey: pem(rsa.publicKey) }, []],
  ["a public key as JWK", { algorithm: "ES256", publicKey: jwk(ec.publicKey) }, []],
  ["a private key", { algorithm: "PS512", privateKey: pem(rsa.privateKey) }, []],
  [
    "a public key as PEM and its private key as JWK",
    { algorithm: "EdDSA", publicKey: pem(ed.publicKey), privateKey: jwk(ed.privateKey) },
    [],
  ],
  ["nothing", {}, ["AUTH_NO_KEY"]],
  ["an empty secret", { secret: "" }, ["CORE_BAD_CONFIG", "AUTH_NO_KEY"]],
  ["no key for RS256", { algorithm: "RS256" }, ["AUTH_NO_KEY"]],
  ["a secret for RS256", { algorithm: "RS256", secret }, ["AUTH_NO_KEY"]],
  ["a key for HS256", { secret, publicKey: pem(rsa.publicKey) }, ["AUTH_NO_KEY"]],
  [
    "a key and a key set",
    { algorithm: "RS256", publicKey: pem(rsa.publicKey), jwksUrl: "https://id.example/keys" },
    ["AUTH_NO_KEY"],
  ],
  ["an unreadable key", { algorithm: "RS256", publicKey: "-----BEGIN nothing" }, ["AUTH_BAD_KEY"]],
  ["a public key as private key", { algorithm: "RS256", privateKey: pem(rsa.publicKey) }, ["AUTH_BAD_KEY"]],
  ["an EC key for RS256", { algorithm: "RS256", publicKey: pem(ec.publicKey) }, ["AUTH_BAD_KEY"]],
  ["an RSA key for EdDSA", { algorithm: "EdDSA", publicKey: pem(rsa.publicKey) }, ["AUTH_BAD_KEY"]],
  ["another curve", { algorithm: "ES256", publicKey: pem(p384.publicKey) }, ["AUTH_BAD_KEY"]],
  ["an RSA key of 1024 bits", { algorithm: "RS256", publicKey: pem(short.publicKey) }, ["AUTH_WEAK_KEY"]],
  [
    "a private RSA key of 1024 bits",
    { algorithm: "PS256", privateKey: jwk(short.privateKey) },
    ["AUTH_WEAK_KEY"],
  ],
  ["CVE-2026-34950: a public PEM as secret", { secret: pem(rsa.publicKey) }, ["AUTH_SECRET_IS_KEY"]],
  [
    "GHSA-ww5h-9m49-7xx4: a PEM after other text, as bytes",
    { secret: Buffer.from(`\ufeff \n${pem(rsa.publicKey)}`) },
    ["AUTH_SECRET_IS_KEY"],
  ],
  ["a JWK as secret", { secret: JSON.stringify(jwk(ec.publicKey), null, 2) }, ["AUTH_SECRET_IS_KEY"]],
  [
    "a key set over http",
    { algorithm: "RS256", jwksUrl: "http://id.example/keys" },
    ["AUTH_BAD_KEY_SET_URL"],
  ],
  ["a key set in a file", { algorithm: "RS256", jwksUrl: "file:///etc/passwd" }, ["AUTH_BAD_KEY_SET_URL"]],
  ["a leeway over a minute", { secret, leewaySecs: 61 }, ["CORE_BAD_CONFIG"]],
  ["the age of a key set that is not configured", { secret, jwksMaxAgeSecs: 60 }, ["CORE_BAD_CONFIG"]],
  ["the timeout of a store that is not configured", { secret, storeTimeoutMs: 10 }, ["CORE_BAD_CONFIG"]],
  ["the algorithm none", { secret, algorithm: "none" as JwtAlgorithm }, ["CORE_BAD_CONFIG"]],
  ["an unknown field", { secret, algoritm: "HS256" } as ConfigInput<JwtConfig>, ["CORE_BAD_CONFIG"]],
])("an app with %s starts, or reports the expected problems", async (_name, config, codes) => {
  expect(await startProblems(config)).toEqual(codes);
});

test("no error message contains a key", async () => {
  const canary = "canary-0123456789";
  for (const config of [
    { secret: `-----BEGIN ${canary}` },
    { algorithm: "RS256", publicKey: canary, privateKey: canary },
  ] as const) {
    const app = new App().use(new JwtAuth(config));
    const error = await app.start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).not.toContain(canary);
  }
});

test("a secret of fewer than 32 bytes (not characters) causes a warning", () => {
  const codes = (text: string) =>
    readOwnKeys(JwtConfig.of({ secret: text })).warnings.map(({ code }) => code);
  expect([codes("ä".repeat(15)), codes("ä".repeat(16))]).toEqual([["AUTH_SHORT_SECRET"], []]);
});

const configFor = (algorithm: JwtAlgorithm): ConfigInput<JwtConfig> => {
  if (algorithm.startsWith("HS")) return { secret: secret.repeat(2) };
  if (algorithm.startsWith("ES")) {
    const namedCurve = { ES256: "P-256", ES384: "P-384" }[algorithm as string] ?? "P-521";
    return { privateKey: pem(generateKeyPairSync("ec", { namedCurve }).privateKey) };
  }
  return { privateKey: pem((algorithm === "EdDSA" ? ed : rsa).privateKey) };
};

test.each<JwtAlgorithm>([
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
])("a token signed with %s is accepted, and its header names algorithm, type and key", async (algorithm) => {
  const issuer = new JwtAuth({ ...configFor(algorithm), algorithm, keyId: "k1" });
  const app = new App().use(issuer);
  app.get("/", (request) => request.context.get("jwt_claims"));
  await using client = testClient(app);
  const token = await issuer.createToken({ sub: "ann" });
  expect(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())).toEqual({
    alg: algorithm,
    typ: "JWT",
    kid: "k1",
  });
  const reply = await client.get("/", { headers: { authorization: `Bearer ${token}` } });
  expect([reply.status, reply.json()]).toEqual([200, expect.objectContaining({ sub: "ann" })]);
});

test("creating a token without a signing key is an error", async () => {
  const auth = new JwtAuth({ algorithm: "RS256", publicKey: pem(rsa.publicKey) });
  await expect(auth.createToken({ sub: "ann" })).rejects.toMatchObject({ code: "AUTH_CANNOT_SIGN" });
  await expect(new JwtAuth({}).createToken({ sub: "ann" })).rejects.toMatchObject({ code: "AUTH_NO_KEY" });
});

test("the public key is derived from the private key", () => {
  const { publicKey } = readOwnKeys(JwtConfig.of({ algorithm: "RS256", privateKey: pem(rsa.privateKey) }));
  expect(publicKey?.equals(rsa.publicKey)).toBe(true);
});

test.each<[string, string | Uint8Array]>([
  ["text", "ä".repeat(20)],
  ["bytes", Buffer.from("ä".repeat(20))],
])("a secret given as %s verifies tokens signed with its UTF-8 bytes", async (_form, given) => {
  const auth = new JwtAuth({ secret: given });
  const app = new App().use(auth);
  app.get("/", () => "in");
  await using client = testClient(app);
  const exp = Math.floor(Date.now() / 1000) + 60;
  const token = forge({ alg: "HS256" }, { sub: "a", exp }, hmac("ä".repeat(20)));
  expect((await client.get("/", { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
});

test("the message about an invalid secret does not contain it", () => {
  const { problems } = JwtConfig.read({ secret: 20261123 as never, privateKey: "" });
  expect(problems).toEqual([
    "JwtConfig.secret must be a non-empty string or bytes",
    "JwtConfig.privateKey must be PEM text or a JSON Web Key",
  ]);
});
