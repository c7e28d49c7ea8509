/** Texts of the tours, loaded when one begins. */
export const toursEn = {
  tours: {
    leave: 'Leave the tour',
    never: 'No more tours',
    back: 'Back',
    next: 'Next',
    done: 'Done',
    steps: {
      add: {
        title: 'Add a recording',
        text: 'Record in the browser, or add an audio or video file or a finished transcript.',
      },
      row: {
        title: 'Open it',
        text: 'A recording opens with its transcript. The three dots share, move or export it.',
      },
      search: { title: 'Find it again', text: 'Type a few letters. / brings you here from anywhere on this page.' },
      places: {
        title: 'What others share',
        text: 'Shared with me has what others gave you. What you delete can be restored for a while.',
      },
      text: {
        title: 'Correct the text',
        text: 'Click into the transcript and type. Everybody here sees it at once, and it is saved as you type.',
      },
      player: {
        title: 'Listen',
        text: 'Play, slow down, or click the waveform to hear a place again. Each word knows its time.',
      },
      panes: { title: 'Mark and comment', text: 'Outcomes, comments, your own notes and the summary open here.' },
      share: { title: 'Share it', text: 'Invite people to read, comment or edit, or give them a link.' },
    },
  },
};
