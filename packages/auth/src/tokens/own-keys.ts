import { createPrivateKey, createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import type { Problem } from "@framework/core";
import type { AuthErrorCode } from "../error-codes.ts";
import { authProblem } from "../errors.ts";
import { fits, isHmac, isWeak, MIN_RSA_BITS, keyDescription } from "../jose/algorithms.ts";
import type { JwtConfig, KeyInput } from "./jwt-config.ts";

/** The parsed keys of a configuration; missing and invalid ones are `undefined`. */
export interface OwnKeys {
  readonly secret: Uint8Array<ArrayBuffer> | undefined;
  readonly publicKey: KeyObject | undefined;
  readonly privateKey: KeyObject | undefined;
  /** Whether tokens of other issuers are accepted, whose lifetime is unknown. */
  readonly acceptsOthers: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Recommended length of a secret, in bytes. */
const RECOMMENDED_BYTES = 32;

/** Parses the keys of a configuration and reports their mistakes; no message contains a key. */
export const readOwnKeys = (config: JwtConfig): OwnKeys => {
  const problems: Problem[] = [];
  const report = (code: AuthErrorCode, message: string): void =>
    void problems.push(authProblem(code, message));
  for (const message of choiceProblems(config)) report("AUTH_NO_KEY", message);
  const { jwksUrl } = config;
  if (jwksUrl !== undefined && hasCredentials(jwksUrl))
    report(
      "AUTH_BAD_KEY_SET_URL",
      "JwtConfig.jwksUrl must have no user and password: fetch refuses such a URL",
    );
  else if (jwksUrl !== undefined && !isSafeUrl(jwksUrl))
    report(
      "AUTH_BAD_KEY_SET_URL",
      "JwtConfig.jwksUrl must be https, so that keys cannot be replaced in transit",
    );
  const secret = config.secret === undefined ? undefined : toBytes(config.secret);
  if (secret !== undefined && containsKey(secret)) {
    const message = `JwtConfig.secret contains a key; pass it as publicKey or privateKey, with its own algorithm instead of ${config.algorithm}`;
    report("AUTH_SECRET_IS_KEY", message);
  }
  const read = (name: "publicKey" | "privateKey"): KeyObject | undefined => {
    const input = config[name];
    if (input === undefined || isHmac(config.algorithm)) return undefined;
    const key = readKey(name, input);
    if (key === null) report("AUTH_BAD_KEY", `JwtConfig.${name} is not a readable PEM or JSON Web Key`);
    else if (!fits(key, config.algorithm))
      report(
        "AUTH_BAD_KEY",
        `JwtConfig.${name} must be ${keyDescription(config.algorithm)} for ${config.algorithm}`,
      );
    else if (isWeak(key))
      report(
        "AUTH_WEAK_KEY",
        `JwtConfig.${name} has fewer than ${MIN_RSA_BITS} bits (RFC 7518 3.3); generate a longer one`,
      );
    else return key;
    return undefined;
  };
  const privateKey = read("privateKey");
  const ownPublicKey = privateKey === undefined ? undefined : createPublicKey(privateKey);
  const publicKey = read("publicKey") ?? ownPublicKey;
  const isOwn = publicKey === undefined || ownPublicKey?.equals(publicKey) === true;
  const acceptsOthers = jwksUrl !== undefined || !isOwn;
  return { secret, publicKey, privateKey, acceptsOthers, problems, warnings: secretWarnings(secret) };
};

const choiceProblems = ({ algorithm, secret, publicKey, privateKey, jwksUrl }: JwtConfig): string[] => {
  if (isHmac(algorithm)) {
    const asymmetric = [publicKey, privateKey, jwksUrl].some((key) => key !== undefined);
    if (asymmetric) return [`JwtConfig.algorithm is ${algorithm}, which needs a secret and no other key`];
    return secret === undefined
      ? [`JwtConfig.secret is missing; ${algorithm} needs one, of at least ${RECOMMENDED_BYTES} bytes`]
      : [];
  }
  if (secret !== undefined)
    return [`JwtConfig.secret cannot be used with ${algorithm}; configure publicKey, privateKey or jwksUrl`];
  if (jwksUrl !== undefined && publicKey !== undefined)
    return ["JwtConfig has both publicKey and jwksUrl; configure one"];
  if ([publicKey, privateKey, jwksUrl].every((key) => key === undefined))
    return [`JwtConfig has no key; ${algorithm} needs publicKey, privateKey or jwksUrl`];
  return [];
};

const secretWarnings = (secret: Uint8Array | undefined): Problem[] => {
  if (secret === undefined || secret.byteLength >= RECOMMENDED_BYTES) return [];
  const message = `the JWT secret has ${secret.byteLength} bytes; use at least ${RECOMMENDED_BYTES}, since a short one can be guessed from any token`;
  return [authProblem("AUTH_SHORT_SECRET", message)];
};

const readKey = (name: "publicKey" | "privateKey", input: KeyInput): KeyObject | null => {
  const make = name === "publicKey" ? createPublicKey : createPrivateKey;
  try {
    return typeof input === "string"
      ? make(input)
      : make({ key: input as webcrypto.JsonWebKey, format: "jwk" });
  } catch {
    return null; // the error may quote the key
  }
};

const toBytes = (secret: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof secret === "string" ? new TextEncoder().encode(secret) : new Uint8Array(secret);

/** Whether text contains a key: with a public key as HMAC secret, anyone could sign (RFC 8725 2.1). */
const containsKey = (secret: Uint8Array): boolean => {
  const text = new TextDecoder().decode(secret);
  return text.includes("-----BEGIN ") || /"kty"\s{0,20}:/.test(text);
};

const hasCredentials = (url: string): boolean => {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
};

const isSafeUrl = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
};
