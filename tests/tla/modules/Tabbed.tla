---- MODULE Tabbed ----
(* Its lists are written with tabs and with spaces: a tab ends at the next multiple of 8 columns.
   The algorithm is one that tree-sitter's grammar does not know.

--algorithm Tabbed {
    variable x = 0, y = 0 ;
    fair { while (TRUE) {
            either { await x < 3 /\ y < 2 ; x := x + 1 } or { x := 0 ; y := 1 - y }
         }
    }
}
*)
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next ==
	\/ /\ x < 3
           /\ y < 2 /\ "	" # " "
           /\ x' = x + 1
	   /\ y' = y
        \/ /\ y' = 1 - y
	   /\ x' = 0
Either ==
	\/ x = 0
          => y < 2
        \/ x > 0
    	\/ y = 1
	=> x < 3
====
