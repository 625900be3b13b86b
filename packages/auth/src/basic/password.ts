import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { authError } from "../errors.ts";
import { passwordQueue } from "./password-queue.ts";
import { defaultCost, isPayable, memoryOf, type ScryptCost } from "./scrypt-cost.ts";

const saltBytes = 16;
const hashBytes = 32;
/** Maximum length of a password; a longer one never verifies. */
const maxPasswordLength = 1024;

/**
 * Returns the hash to store for a password: scrypt in the PHC string format, `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, with a new salt each time.
 *
 * Takes about 0.2 s and 32 MiB at the default cost, off the event loop, two at a time.
 *
 * @throws AUTH_BAD_HASH for a cost above 256 MiB, or a password over 1024 characters or with a NUL; HttpError 503 AUTH_BUSY when 100 are waiting
 */
export const hashPassword = async (password: string, cost: Partial<ScryptCost> = {}): Promise<string> => {
  const whole = payable(cost);
  if (!isUsable(password))
    throw authError(
      "AUTH_BAD_HASH",
      `a password may have at most ${maxPasswordLength} characters and no NUL`,
    );
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, hashBytes, whole);
  return phc(whole, salt, hash);
};

/**
 * Whether a password matches its hash. Without a hash, for an unknown user, it does the same work and returns false, so that the response time does
 * not reveal which users exist.
 *
 * @param cost cost of the stored hashes, for the work without one. @default that of `hashPassword`
 * @throws AUTH_BAD_HASH for a hash that is not a scrypt PHC string; HttpError 503 AUTH_BUSY when 100 are waiting
 */
export const verifyPassword = async (
  password: string,
  hash: string | null | undefined,
  cost: Partial<ScryptCost> = {},
): Promise<boolean> => {
  const absent = dummyHash(payable(cost)); // created on every call, so that the time is the same
  const stored = parsed(hash ?? absent);
  const tried = isUsable(password) ? password : "";
  const derived = await derive(tried, stored.salt, stored.hash.byteLength, stored.cost);
  const isEqual = timingSafeEqual(derived, stored.hash);
  return isEqual && typeof hash === "string" && tried === password;
};

interface StoredPassword {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Whether a password is allowed. HMAC pads short keys with NULs, so a NUL at the end would change nothing (RFC 2104 2). */
const isUsable = (password: string): boolean =>
  password.length <= maxPasswordLength && !password.includes("\0");

/** Creates a hash that matches no password, as text, so that parsing it is the same work too. */
const dummyHash = (cost: ScryptCost): string =>
  phc(cost, new Uint8Array(saltBytes), new Uint8Array(hashBytes));

const phc = ({ logN, blockSize, parallelization }: ScryptCost, salt: Uint8Array, hash: Uint8Array): string =>
  `$scrypt$ln=${logN},r=${blockSize},p=${parallelization}$${toBase64(salt)}$${toBase64(hash)}`;

const parsed = (text: string): StoredPassword => {
  const match =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      text,
    );
  const [, logN, blockSize, parallelization, salt = "", hash = ""] = match ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallelization: Number(parallelization) };
  if (match !== null && isPayable(cost))
    return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
  throw authError("AUTH_BAD_HASH", "a stored password is not a scrypt hash in the format of hashPassword");
};

const payable = (given: Partial<ScryptCost>): ScryptCost => {
  const cost = { ...defaultCost, ...given };
  if (isPayable(cost)) return cost;
  throw authError(
    "AUTH_BAD_HASH",
    "the cost of a password hash must be logN 1 to 20, blockSize 1 to 32, parallelization 1 to 16, within 256 MiB",
  );
};

const derive = (password: string, salt: Uint8Array, length: number, cost: ScryptCost): Promise<Uint8Array> =>
  passwordQueue.run(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const { blockSize: r, parallelization: p } = cost;
    const options = { N: 2 ** cost.logN, r, p, maxmem: memoryOf(cost) + 128 * r * (p + 2) + 1024 };
    const done = (error: Error | null, key: Uint8Array): void =>
      error === null ? resolve(key) : reject(error);
    scrypt(password.normalize("NFC"), salt, length, options, done);
    return promise;
  });

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
