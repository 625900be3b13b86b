/** Tag of the cached replies of a query. */
export const queryTag = (name: string): string => `query:${name}`;
