/** Cost of a password hash (RFC 7914): memory is 128 × 2^logN × blockSize bytes; work is memory times `parallelization`. */
export interface ScryptCost {
  /** Binary logarithm of the parameter N of scrypt. @default 15 */
  readonly logN: number;
  /** The parameter r of scrypt. @default 8 */
  readonly blockSize: number;
  /** The parameter p of scrypt. @default 3 */
  readonly parallelization: number;
}

/** The scrypt parameters of OWASP's password storage guide with 32 MiB per hash. */
export const defaultCost: ScryptCost = Object.freeze({ logN: 15, blockSize: 8, parallelization: 3 });

/** Maximum memory of one hash, in bytes. */
const MAX_MEMORY = 268_435_456;

/** Returns the memory of a cost, in bytes. */
export const memoryOf = ({ logN, blockSize }: ScryptCost): number => 128 * 2 ** logN * blockSize;

/** Whether a cost is within bounds, including scrypt's own for small blocks (RFC 7914, section 2: N < 2^(128 × r / 8)). Stored hashes are data, so their cost can be anything. */
export const isAllowedCost = (cost: ScryptCost): boolean =>
  isBetween(cost.logN, 1, 20) &&
  isBetween(cost.blockSize, 1, 32) &&
  isBetween(cost.parallelization, 1, 16) &&
  cost.logN < 16 * cost.blockSize &&
  memoryOf(cost) <= MAX_MEMORY;

const isBetween = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;
