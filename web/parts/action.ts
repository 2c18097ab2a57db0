import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * A mutation of which there is one at a time: `mutate` does nothing while one runs. `isPending` alone would let a second
 * press through, which a slow browser hands over before it has drawn what the first one did.
 */
export function useAction<Made, Given = void>({
  mutationFn,
  onSettled,
  ...options
}: UseMutationOptions<Made, Error, Given>) {
  const isRunning = useRef(false);
  const action = useMutation({
    ...options,
    mutationFn,
    onSettled(...outcome) {
      isRunning.current = false;
      return onSettled?.(...outcome);
    },
  });
  const mutate: typeof action.mutate = (...given) => {
    if (isRunning.current) return;
    isRunning.current = true;
    action.mutate(...given);
  };
  return { ...action, mutate, isRunning: () => isRunning.current };
}
