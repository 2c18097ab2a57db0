import { Option } from 'commander';

/** `--config FILE` of the commands that work on the host. */
export function configOption(): Option {
  return new Option(
    '--config <file>',
    'configuration of the controller (default: controller.yml in $OVERLAY_AUTH_HOME or ./.overlay)',
  );
}
