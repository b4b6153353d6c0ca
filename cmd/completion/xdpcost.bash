# SPDX-License-Identifier: GPL-2.0-only
# bash completion of xdpcost(1). It asks the program for its commands, options and their choices, so
# that it knows none itself.

# Completes the last of a comma list in $cur from the words given.
__xdpcost_choose()
{
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
}

# The choices of what an option or argument takes, by its word in --list-opts; false for others.
__xdpcost_choices()
{
  case $1 in
    '{'*'}')
      local words=${1#?}
      words=${words%?}
      __xdpcost_choose "${words//,/ }"
      ;;
    CALL) __xdpcost_choose auto "$("$program" list --names calls 2>/dev/null)" ;;
    EVENT) __xdpcost_choose "$("$program" list --names events 2>/dev/null)" ;;
    COMMAND) __xdpcost_choose "$("$program" --list-cmds 2>/dev/null)" ;;
    *) return 1 ;;
  esac
}

_xdpcost()
{
  local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command= i name takes rest options= arguments=
  COMPREPLY=()
  # bash splits --option=value at the = sign.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      # Another program's command line.
      --)
        [[ $i -eq $((COMP_CWORD - 1)) ]] && mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        return
        ;;
      -*) ;;
      *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;
    esac
  done
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "--help --version $("$program" --list-cmds 2>/dev/null)" \
      -- "$cur")
    return
  fi
  while IFS=$'\t' read -r name takes rest; do
    # An empty field in between would be swallowed: it is a dash.
    if [[ $name == -* ]]; then
      options+=" $name"
      [[ $name != "$prev" || $takes == - ]] || { __xdpcost_choices "$takes"; return; }
    else
      arguments=$takes
      [[ $name != COMMAND ]] || arguments=COMMAND
    fi
  done < <("$program" "$command" --list-opts 2>/dev/null)
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  else
    __xdpcost_choices "$arguments"
  fi
}

complete -o bashdefault -o default -F _xdpcost xdpcost perf-xdpcost
