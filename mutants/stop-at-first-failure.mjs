// A reporter for node --test: one failure is enough to know that the mutant was noticed.
export default async function* stopAtFirstFailure(events) {
  for await (const { type } of events) {
    if (type === 'test:fail') process.exit(1);
  }
  yield '';
}
