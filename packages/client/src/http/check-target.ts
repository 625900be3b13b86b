import { isIP } from "node:net";
import { ClientError } from "./client-error.ts";
import type { CheckedHttpOptions } from "./http-options.ts";
import { isPublicAddress, refusedAddress } from "./public-address.ts";

/** Refuses a target that the client may not call. @throws ClientError CLIENT_BAD_URL, CLIENT_HOST_REFUSED */
export const checkTarget = (
  url: URL,
  options: Pick<CheckedHttpOptions, "allowedHosts" | "publicAddressesOnly">,
): void => {
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new ClientError(
      "CLIENT_BAD_URL",
      `${url.protocol}//${url.host} is not an http or https URL without credentials`,
    );
  if (!options.allowedHosts.includes(url.host))
    throw new ClientError(
      "CLIENT_HOST_REFUSED",
      `${url.host} is not one of allowedHosts (${options.allowedHosts.join(", ")})`,
    );
  const address = url.hostname.replace(/^\[|\]$/g, "");
  if (options.publicAddressesOnly && isIP(address) !== 0 && !isPublicAddress(address))
    throw refusedAddress(url.hostname);
};
