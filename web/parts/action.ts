import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/**
 * A mutation of which there is one at a time: `mutate` does nothing while one runs. `isPending` alone would let a second
 * press through, which a slow browser hands over before it has drawn what the first one did. After `reset` the answer to
 * an earlier one is not shown, and there can be another one at once.
 */
export function useAction<Made, Given = void>(options: UseMutationOptions<Made, Error, Given>) {
  const isRunning = useRef(false);
  const action = useMutation(options);
  const end = () => {
    isRunning.current = false;
  };
  return {
    ...action,
    mutate(given: Given) {
      if (isRunning.current) return;
      isRunning.current = true;
      action.mutate(given, { onSettled: end });
    },
    reset() {
      end();
      action.reset();
    },
    isRunning: () => isRunning.current,
  };
}

/** Whether the person has not left this part of the page meanwhile. */
export function useIsHere(): () => boolean {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return () => isHere.current;
}
