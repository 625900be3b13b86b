/**
 * Whether an `Origin` is that of the request's own service. Browsers leave a default port out of it, and proxies may state one in `Host`: both mean the same.
 */
export const isOwnOrigin = (
  origin: string,
  { scheme, host }: { readonly scheme: string; readonly host: string },
): boolean => {
  const own = `${scheme}://${host}`;
  return origin === own || (URL.canParse(own) && origin === new URL(own).origin);
};
