/** Asks again and again until the answer is as wanted, for 40 s and more. @throws with the last answer */
export async function until<T>(what: () => Promise<T> | T, isSo: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 2000; tries += 1) {
    const value = await what();
    if (isSo(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(JSON.stringify(await what()));
}
