/** Host and port of a listener. */
export interface GrpcAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, with IPv6 addresses in brackets; `null` for anything else. */
export const parseAddress = (address: string): GrpcAddress | null => {
  const [, bracketed, plain, digits = ""] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? null : { host, port };
};
