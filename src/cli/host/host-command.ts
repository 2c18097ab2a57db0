import { Option } from 'commander';
import { runs } from '../terminal/command.ts';

/** As `runs`, for commands that work on the files of this host: what those cannot be used for is said in a sentence. */
export const runsOnHost: typeof runs = (ports, load) => {
  const run = runs(ports, load);
  return (name) =>
    async (...given) => {
      try {
        await run(name)(...given);
      } catch (error) {
        const { hostFailure } = await import('./failures.ts');
        throw hostFailure(error);
      }
    };
};

/** `--config FILE` of the commands that work on the host. */
export function configOption(): Option {
  return new Option(
    '--config <file>',
    'configuration of the controller (default: controller.yml in $OVERLAY_AUTH_HOME or ./.overlay)',
  );
}
