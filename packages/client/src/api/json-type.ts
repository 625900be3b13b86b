/** Whether a media type without parameters is JSON: `application/json`, or any type that ends in `+json`. */
export const isJson = (type: string): boolean =>
  /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i.test(type);
