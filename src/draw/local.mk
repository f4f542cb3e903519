libnsplit_a_SOURCES += \
	src/draw/alike.h src/draw/alike.c \
	src/draw/axis.h src/draw/axis.c \
	src/draw/bars.h src/draw/bars.c \
	src/draw/canvas.h src/draw/canvas.c \
	src/draw/canvas_png.c \
	src/draw/canvas_svg.c \
	src/draw/curves.h src/draw/curves.c \
	src/draw/label.h src/draw/label.c \
	src/draw/plane.h src/draw/plane.c
