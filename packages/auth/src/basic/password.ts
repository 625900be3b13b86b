import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { HttpError } from "@framework/core";
import { markHandled } from "@framework/core/feature";
import { authError } from "../errors.ts";
import { passwordQueue } from "./password-queue.ts";
import { defaultCost, isAllowedCost, memoryOf, type ScryptCost } from "./scrypt-cost.ts";

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Maximum length of a password; a longer one never verifies. */
const MAX_PASSWORD_LENGTH = 1024;

/**
 * Returns the hash to store for a password: scrypt in the PHC string format, `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, with a new salt each time.
 *
 * Takes about 0.2 s and 32 MiB at the default cost, off the event loop; at most two run concurrently.
 *
 * @throws HttpError 422 AUTH_BAD_PASSWORD for a password that `passwordProblem` rejects; AUTH_BAD_HASH for an invalid cost; HttpError 503 AUTH_BUSY when
 * 100 are waiting
 */
export const hashPassword = (password: string, cost: Partial<ScryptCost> = {}): Promise<string> =>
  markHandled(computeHash(password, cost));

const computeHash = async (password: string, cost: Partial<ScryptCost>): Promise<string> => {
  const whole = checkedCost(cost);
  const problem = passwordProblem(password);
  if (problem !== null) throw new HttpError(422, `The password ${problem}`, { code: "AUTH_BAD_PASSWORD" });
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, whole);
  return phc(whole, salt, hash);
};

/**
 * Returns the reason why `hashPassword` refuses a password, for a schema's message: it is not a string, has more than 1,024 characters, or contains a NUL or an
 * unpaired surrogate. `null` for a valid password; a minimum length is up to the application.
 */
export const passwordProblem = (password: unknown): string | null => {
  if (typeof password !== "string") return "must be a string";
  if (password.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  // HMAC pads short keys with NULs, so a NUL at the end would change nothing (RFC 2104 2); all unpaired surrogates have the same bytes in UTF-8.
  return password.includes("\0") || !password.isWellFormed() ? "must be Unicode text without NUL" : null;
};

/**
 * Whether a password matches its hash. Without a hash, for an unknown user, it does the same work and returns false, so that the response time does
 * not reveal which users exist.
 *
 * @param cost cost of the stored hashes; also used if `hash` is missing. @default the default of `hashPassword`
 * @throws AUTH_BAD_HASH for a hash that is not a scrypt PHC string, or an invalid cost; HttpError 503 AUTH_BUSY when 100 are waiting
 */
export const verifyPassword = (
  password: string,
  hash: string | null | undefined,
  cost: Partial<ScryptCost> = {},
): Promise<boolean> => markHandled(compare(password, hash, cost));

const compare = async (
  password: string,
  hash: string | null | undefined,
  cost: Partial<ScryptCost>,
): Promise<boolean> => {
  const absent = dummyHash(checkedCost(cost)); // created even if there is a hash, so that both cases take the same time
  const stored = parseHash(hash ?? absent);
  const candidate = passwordProblem(password) === null ? password : "";
  const derived = await derive(candidate, stored.salt, stored.hash.byteLength, stored.cost);
  const isEqual = timingSafeEqual(derived, stored.hash);
  return isEqual && typeof hash === "string" && candidate === password;
};

interface StoredPassword {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Creates a hash that matches no password, in the stored format, so that it is also parsed. */
const dummyHash = (cost: ScryptCost): string =>
  phc(cost, new Uint8Array(SALT_BYTES), new Uint8Array(HASH_BYTES));

const phc = ({ logN, blockSize, parallelization }: ScryptCost, salt: Uint8Array, hash: Uint8Array): string =>
  `$scrypt$ln=${logN},r=${blockSize},p=${parallelization}$${toBase64(salt)}$${toBase64(hash)}`;

const parseHash = (text: string): StoredPassword => {
  const match =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      text,
    );
  const [, logN, blockSize, parallelization, salt = "", hash = ""] = match ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallelization: Number(parallelization) };
  if (match !== null && isAllowedCost(cost))
    return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
  throw authError("AUTH_BAD_HASH", "a stored password is not a scrypt hash in the format of hashPassword");
};

const checkedCost = (given: Partial<ScryptCost>): ScryptCost => {
  const {
    logN = defaultCost.logN,
    blockSize = defaultCost.blockSize,
    parallelization = defaultCost.parallelization,
  } = given;
  const cost = { logN, blockSize, parallelization };
  if (isAllowedCost(cost)) return cost;
  throw authError(
    "AUTH_BAD_HASH",
    "the cost of a password hash must be logN 1 to 20, blockSize 1 to 32, parallelization 1 to 16, within 256 MiB; with blockSize 1 logN is at most 15",
  );
};

const derive = (password: string, salt: Uint8Array, length: number, cost: ScryptCost): Promise<Uint8Array> =>
  passwordQueue.run(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const { blockSize: r, parallelization: p } = cost;
    const options = { N: 2 ** cost.logN, r, p, maxmem: memoryOf(cost) + 128 * r * (p + 2) + 1024 };
    // Bun passes `undefined` instead of `null` on success.
    const done = (error: Error | null | undefined, key: Uint8Array): void =>
      error === null || error === undefined ? resolve(key) : reject(error);
    scrypt(password.normalize("NFC"), salt, length, options, done);
    return promise;
  });

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
