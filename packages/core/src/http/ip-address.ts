/** An address as bytes: 4 for IPv4, 16 for IPv6. An IPv4-mapped IPv6 address is stored as IPv4. */
export type IpBytes = readonly number[];

const mappedPrefix: IpBytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/**
 * Parses an address strictly: dotted decimal without leading zeros, or IPv6 (RFC 4291 2.2), whose zone id is dropped.
 *
 * Returns `null` for anything else.
 */
export const parseIp = (text: string): IpBytes | null => {
  if (!text.includes(":")) return parseIpv4(text);
  const percent = text.indexOf("%");
  if (percent === text.length - 1) return null;
  const groups = parseIpv6(percent === -1 ? text : text.slice(0, percent));
  if (groups === null) return null;
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return isMapped(bytes) ? bytes.slice(12) : bytes;
};

/** Whether IPv6 bytes contain an IPv4 address (`::ffff:0:0/96`). */
export const isMapped = (bytes: IpBytes): boolean =>
  bytes.length === 16 && mappedPrefix.every((byte, at) => bytes[at] === byte);

/** Returns the canonical text of an address (RFC 5952). */
export const formatIp = (bytes: IpBytes): string => {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
};

const parseIpv4 = (text: string): IpBytes | null => {
  if (text.length > 15) return null;
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
};

const parseIpv6 = (text: string): readonly number[] | null => {
  if (text.length > 45) return null;
  const halves = text.split("::");
  const [front = "", back] = halves;
  const head = parseGroups(front, back === undefined);
  const tail = parseGroups(back ?? "", true);
  if (halves.length > 2 || head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (back === undefined ? missing !== 0 : missing < 1) return null;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
};

/** Parses the groups on one side of `::`; the last group of the address may be written as IPv4. */
const parseGroups = (text: string, endsAddress: boolean): readonly number[] | null => {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else {
      const ipv4 = endsAddress && at === parts.length - 1 ? parseIpv4(part) : null;
      if (ipv4 === null) return null;
      const [a = 0, b = 0, c = 0, d = 0] = ipv4;
      groups.push(a * 256 + b, c * 256 + d);
    }
  }
  return groups;
};

const longestZeros = (groups: readonly number[]): { readonly start: number; readonly length: number } => {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > longest.length) longest = { start, length };
  }
  return longest;
};
